import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { settings } from '../../protocol/messages/settings.ts'
import type { HttpEnv } from '../http/env.ts'
import { errors } from '../http/error-responses.ts'
import type { Guards } from '../http/guards.ts'
import { json, jsonRequest } from '../http/schemas.ts'
import { type DeviceSettings, isApplied, type SettingsChange } from './settings.ts'

const changeDto = z
  .object({
    volume: z
      .int({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number') })
      .min(0, 'must be 0 to 100')
      .max(100, 'must be 0 to 100')
      .optional()
      .openapi({ example: 80, description: 'Loudness in percent, a number.' }),
    lang: z
      .enum(['vi', 'en'], { error: 'must be vi or en' })
      .optional()
      .openapi({ example: 'vi', description: 'The language of its announcements.' }),
  })
  .refine(({ volume, lang }) => volume !== undefined || lang !== undefined, {
    path: ['body'],
    message: 'must have at least one of volume, lang',
  })
  .openapi('UpdateDeviceSettingsRequestDto')

const documentDto = z.object({
  ver: settings.shape.ver,
  volume: settings.shape.volume,
  lang: settings.shape.lang,
})
const settingsDto = z
  .object({
    deviceSerial: z.string(),
    desired: documentDto.nullable().openapi({ description: 'What it shall use; null when never set.' }),
    reported: documentDto
      .nullable()
      .openapi({ description: 'What it says that it uses; null before it did.' }),
    applied: z.boolean().openapi({ description: 'Whether it uses what it shall use.' }),
  })
  .openapi('DeviceSettingsDto')

export interface SettingsVerbs {
  changeSettings: (clientId: string, serial: string, change: SettingsChange) => Promise<DeviceSettings>
  findSettings: (clientId: string, serial: string) => Promise<DeviceSettings>
}

/** /partner/device/{serial}/settings */
export function settingsRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: SettingsVerbs) {
  const path = '/partner/device/{serial}/settings'
  const tags = ['Partner']
  const security = [{ bearer: [] }]
  const params = z.object({ serial: z.string() })

  const find = createRoute({
    method: 'get',
    path,
    ...{ tags, security, middleware: guards.partner.middleware },
    summary: "Get a speaker device's settings",
    request: { params },
    responses: {
      200: json(settingsDto, 'The settings, desired and reported.'),
      ...errors(guards.partner.errors, 'DEVICE_NOT_FOUND'),
    },
  })
  app.openapi(find, async (c) =>
    c.json(toDto(await verbs.findSettings(c.var.clientId, c.req.valid('param').serial)), 200),
  )

  const change = createRoute({
    method: 'put',
    path,
    ...{ tags, security, middleware: guards.partnerWithBody.middleware },
    summary: "Change a speaker device's settings",
    description: 'What is left out stays. An offline device gets them when it is back; `applied` tells.',
    request: { params, ...jsonRequest(changeDto) },
    responses: {
      200: json(settingsDto, 'The settings, as they shall be.'),
      ...errors(guards.partnerWithBody.errors, 'DEVICE_NOT_FOUND'),
    },
  })
  app.openapi(change, async (c) => {
    const { serial } = c.req.valid('param')
    return c.json(toDto(await verbs.changeSettings(c.var.clientId, serial, c.req.valid('json'))), 200)
  })
}

function toDto(known: DeviceSettings): z.infer<typeof settingsDto> {
  const { serial, desired, reported } = known
  return {
    deviceSerial: serial,
    desired: desired ?? null,
    reported: reported ?? null,
    applied: isApplied(known),
  }
}
