import { z } from 'zod';
import type { Schema } from '../parse/message.ts';

/** A port by number or by name. */
export const intOrString: Schema<number | string> = z.union([z.int(), z.string()]);
