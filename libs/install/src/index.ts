export type { ComponentInstance } from './components.ts';
export { type ComponentManifests, type GenerateOptions, generateManifests } from './generate.ts';
export { InstallError } from './install-error.ts';
export { type Manifest, printManifests, sortManifests } from './manifest.ts';
export { type InstallInputs, mergeInputs, type Operator, type OperatorFile, userOperator } from './merge-inputs.ts';
export { builtinProfile, profileNames, type ProfileSource } from './profiles.ts';
export { textAt } from './tree.ts';
export { type OperatorFindings, validateOperator } from './validation/validate-operator.ts';
export { type TranslatedFile, translateToHelm } from './translate.ts';
