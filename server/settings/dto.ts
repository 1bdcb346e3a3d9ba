import { z } from '@hono/zod-openapi'
import { language } from '../../protocol/messages/fields.ts'
import { story } from '../http/examples/story.ts'
import { said } from '../http/schemas.ts'

/** The bodies of /partner/device/{serial}/settings. */

const volume = z
  .int({ error: 'must be a whole number, not a string' })
  .min(0, 'must be 0 to 100')
  .max(100, 'must be 0 to 100')
  .openapi({ description: 'Loudness in percent, a number.', examples: [80] })

const lang = z
  .enum(language.options, { error: `must be one of ${language.options.join(', ')}` })
  .openapi({ description: 'The language of its announcements.', examples: ['vi'] })

export const changeDto = z
  .object({ volume: volume.optional(), lang: lang.optional() })
  .refine((change) => change.volume !== undefined || change.lang !== undefined, {
    path: ['body'],
    message: 'must have at least one of volume, lang',
  })
  .openapi('UpdateDeviceSettingsRequestDto', {
    description: 'At least one; what is left out stays as it is.',
    minProperties: 1,
  })

const documentDto = z.object({
  ver: z.int().openapi({ description: 'The version of the document, rising.', examples: [1] }),
  volume,
  lang,
})

export const settingsDto = z
  .object({
    deviceSerial: said('The device.', story.deviceSerial),
    desired: documentDto.nullable().openapi({ description: 'What it shall use; null when never set.' }),
    reported: documentDto
      .nullable()
      .openapi({ description: 'What it says that it uses; null before it has said.' }),
    applied: z.boolean().openapi({ description: 'Whether it uses what it shall use.', examples: [false] }),
  })
  .openapi('DeviceSettingsDto', { description: 'The settings of a device, desired and reported.' })
