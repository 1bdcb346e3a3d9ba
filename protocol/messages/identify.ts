import { z } from 'zod'

/** Beep and flash, so that a person can find the device. */
export const identify = z.object({})
