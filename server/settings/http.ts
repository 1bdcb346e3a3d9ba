import { createRoute, type OpenAPIHono, type z } from '@hono/zod-openapi'
import { serialParams } from '../devices/dto.ts'
import { errors } from '../http/errors/openapi.ts'
import type { Guards } from '../http/guards/guards.ts'
import { byPartner } from '../http/openapi/components.ts'
import { settingsExamples as examples } from '../http/openapi/examples/settings.ts'
import { json, jsonRequest, prose } from '../http/openapi/schemas.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { changeDto, settingsDto } from './dto.ts'
import { type DeviceSettings, isApplied, type SettingsChange } from './settings.ts'

export interface SettingsVerbs {
  changeSettings: (clientId: string, serial: string, change: SettingsChange) => Promise<DeviceSettings>
  findSettings: (clientId: string, serial: string) => Promise<DeviceSettings>
}

/** /partner/device/{serial}/settings */
export function settingsRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: SettingsVerbs) {
  const path = '/partner/device/{serial}/settings'
  const shared = { tags: ['Partner'], ...byPartner }

  const find = createRoute({
    method: 'get',
    path,
    ...{ ...shared, middleware: guards.partner.middleware },
    operationId: 'getDeviceSettings',
    summary: "Get a speaker device's settings",
    description: prose(
      'The settings that you have set, and the ones that the device uses.',
      'A change made at the device itself appears in `reported`.',
    ),
    request: { params: serialParams },
    responses: {
      200: json(settingsDto, 'The settings, desired and reported.', examples.getDeviceSettings.answer),
      ...errors(guards.partner.errors, 'DEVICE_NOT_FOUND'),
    },
  })
  app.openapi(find, async (c) =>
    c.json(toDto(await verbs.findSettings(c.var.clientId, c.req.valid('param').serial)), 200),
  )

  const change = createRoute({
    method: 'put',
    path,
    ...{ ...shared, middleware: guards.partnerWithBody.middleware },
    operationId: 'updateDeviceSettings',
    summary: "Change a speaker device's settings",
    description: prose(
      'Changes the given settings, at least one. Absent ones stay unchanged; null is refused.',
      'A connected device gets them at once, an offline one when it is back; `applied` shows whether it uses them.',
      'Both are required until the device has reported its settings.',
    ),
    request: { params: serialParams, ...jsonRequest(changeDto, examples.updateDeviceSettings.request) },
    responses: {
      200: json(settingsDto, 'The changed settings.', examples.updateDeviceSettings.answer),
      ...errors(guards.partnerWithBody.errors, examples.updateDeviceSettings.errors, 'DEVICE_NOT_FOUND'),
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
