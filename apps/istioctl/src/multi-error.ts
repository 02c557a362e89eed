/** Several findings as one text: a line that counts them, then one each. */
export const listOfErrors = (messages: readonly string[]): string =>
  `${messages.length === 1 ? '1 error' : `${messages.length} errors`} occurred:\n${messages.map((text) => `\t* ${text}\n`).join('')}\n`;
