export { TemplateSet, type MissingKey, type TemplateOptions } from './exec/template-set.ts';
export { FunctionError, TemplateError } from './exec/template-error.ts';
export { type Delimiters } from './syntax/lexer.ts';
export { codecs, fn, GoFunction, variadic, type Codec, type FunctionTable } from './value/function.ts';
export { fromValue, toValue } from './value/convert.ts';
export { GoComplex, GoInt, GoList, GoMap, GoStruct, int64, type Methods, type Value } from './value/value.ts';
export { listOf, mapOf, namedType, types, type GoType, type Kind } from './value/type.ts';
