export { TemplateSet, type MissingKey, type TemplateOptions } from './exec/template-set.ts';
export { FunctionError, TemplateError } from './exec/template-error.ts';
export { type Delimiters } from './syntax/lexer.ts';
export { codecs, fn, GoFunction, variadic, type Codec, type FunctionTable } from './value/function.ts';
export { fromValue, toValue } from './value/convert.ts';
export { GoComplex, GoInt, GoList, GoMap, GoStruct, int64, type Methods, type Value } from './value/value.ts';
export { coalesceValues } from './helm/coalesce.ts';
export { renderChart, type ChartOptions } from './helm/render.ts';
export { type Capabilities, type Chart, type ChartMetadata, type Release } from './helm/chart.ts';
export { helmFunctions, templateFunctions, type HelmOptions } from './helm/functions.ts';
export { sprigFunctions } from './sprig/index.ts';
export { type SprigOptions } from './sprig/options.ts';
export { encodeYaml } from './yaml/encode.ts';
export { decodeYaml } from './yaml/decode.ts';
/** The bytes of an output; where it isn't UTF-8 throughout, text cannot show them. */
export { utf8Encode } from './text/utf8.ts';
export { listOf, mapOf, namedType, types, type GoType, type Kind } from './value/type.ts';
