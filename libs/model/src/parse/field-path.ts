/** Keys and list indices from the object's root down to a field. */
export type FieldPath = readonly (string | number)[];

/** `spec.http[0].headers["x-user"]`: names after dots, indices and other keys in brackets. */
export function formatPath(path: FieldPath): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(key)) text += text ? `.${key}` : key;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}
