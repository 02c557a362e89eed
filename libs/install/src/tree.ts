import { isJsonObject, type Json, type JsonObject } from '@kedge/model';

/** Lays `over` upon `base`: objects key by key, everything else (lists and null too) replaces what was there. */
export function overlay(base: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const own = merged.get(key);
    merged.set(key, isJsonObject(value) ? overlay(isJsonObject(own) ? own : {}, value) : value);
  }
  return Object.fromEntries(merged);
}

/** The object under a key; empty where there is none. */
export function child(tree: JsonObject, ...keys: readonly string[]): JsonObject {
  return keys.reduce<JsonObject>((object, key) => {
    const value = object[key];
    return isJsonObject(value) ? value : {};
  }, tree);
}

/** The value at the end of a way through objects. */
export function valueAt(tree: JsonObject, ...keys: readonly string[]): Json | undefined {
  const last = keys.at(-1);
  return last === undefined ? tree : child(tree, ...keys.slice(0, -1))[last];
}

/** A text at the end of a way through objects; empty where there is none. */
export function textAt(tree: JsonObject, ...keys: readonly string[]): string {
  const value = valueAt(tree, ...keys);
  return typeof value === 'string' ? value : '';
}

/** An object that has a value at the end of a way. */
export const treeOf = (keys: readonly string[], value: Json): JsonObject =>
  keys.reduceRight<Json>((inner, key) => ({ [key]: inner }), value) as JsonObject;
