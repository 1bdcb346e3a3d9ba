import * as z from 'zod'

export const identify = z.object({}).describe('Beep and flash, so that a person can find the device.')
