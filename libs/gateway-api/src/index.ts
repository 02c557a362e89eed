export { handlesIngress } from './ingress/ingress-class.ts';
export { translateIngresses } from './ingress/translate.ts';
export { standardTranslations } from './standard-translations.ts';
