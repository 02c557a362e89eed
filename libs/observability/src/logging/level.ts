/** From silence to everything, as the flags name them. */
export const levels = ['none', 'fatal', 'error', 'warn', 'info', 'debug'] as const;

export type Level = (typeof levels)[number];

/** A level at which something can be logged. */
export type MessageLevel = Exclude<Level, 'none'>;

export function isLevel(text: string): text is Level {
  return (levels as readonly string[]).includes(text);
}

/** Whether a scope at level `set` lets a message of level `message` through. */
export function admits(set: Level, message: MessageLevel): boolean {
  return levels.indexOf(message) <= levels.indexOf(set);
}
