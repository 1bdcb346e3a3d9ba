import { z } from '@hono/zod-openapi'
import { story } from '../http/openapi/examples/story.ts'
import { flag, said, whole } from '../http/openapi/schemas.ts'

/** The bodies of /partner/device/{serial}/settings. */

const volume = z.int('must be a whole number')
const lang = z.enum(['vi', 'en'], { error: 'must be vi or en' })

const VOLUME = { description: 'Loudness in percent, a number.', examples: [80] }
const LANG = { description: 'The language of its announcements.', examples: ['vi'] }

export const changeDto = z
  .object({
    volume: volume.min(0, 'must be 0 to 100').max(100, 'must be 0 to 100').optional().openapi(VOLUME),
    lang: lang.optional().openapi({
      ...LANG,
      description: `${LANG.description} A language without clips on the device is refused, once the device has reported its clips.`,
    }),
  })
  .refine((change) => change.volume !== undefined || change.lang !== undefined, {
    path: ['body'],
    message: 'must have at least one of volume, lang',
  })
  .openapi('UpdateDeviceSettingsRequestDto', {
    description: 'The settings to change, at least one. Absent ones stay unchanged; null is refused.',
    anyOf: [{ required: ['volume'] }, { required: ['lang'] }],
  })

const documentDto = z.object({
  ver: whole('The version of the settings. It rises with every change.', 3),
  volume: z.int().openapi(VOLUME),
  lang: lang.openapi(LANG),
})

export const settingsDto = z
  .object({
    deviceSerial: said('The device.', story.deviceSerial),
    desired: documentDto
      .nullable()
      .openapi({ description: 'The settings that you have set; null when you never did.' }),
    reported: documentDto
      .nullable()
      .openapi({ description: 'The settings that the device uses; null until it has reported them.' }),
    applied: flag('Whether the device uses the desired settings.', false),
  })
  .openapi('DeviceSettingsDto', {
    description: "A device's settings: desired by you, and reported by the device.",
  })
