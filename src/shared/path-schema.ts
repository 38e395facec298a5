/** A path as a window sends one; whether anything is there is for the file system to say. */
import { z } from 'zod'

export const pathSchema = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !text.includes('\0'), 'holds a NUL character, which no path can')
