import type { OpenAPIHono, z } from '@hono/zod-openapi'
import { serialParams } from '../devices/dto.ts'
import { endpoint } from '../http/guards/endpoint.ts'
import type { Guards } from '../http/guards/guards.ts'
import { settingsExamples as examples } from '../http/openapi/examples/settings.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { byPartner } from '../security/actor.ts'
import { changeDto, settingsDto } from './dto.ts'
import type { manageSettings } from './manage-settings.ts'
import { type DeviceSettings, isApplied } from './settings.ts'

export type SettingsVerbs = ReturnType<typeof manageSettings>

/** /partner/device/{serial}/settings */
export function settingsRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: SettingsVerbs) {
  const path = '/partner/device/{serial}/settings'
  endpoint(app, guards.partner, {
    route: ['get', path],
    operationId: 'getDeviceSettings',
    summary: "Get a speaker device's settings",
    description: [
      'The settings that you have set, and the ones that the device uses.',
      'A change made at the device itself appears in `reported`.',
    ],
    params: serialParams,
    answer: settingsDto,
    answered: 'The settings, desired and reported.',
    errors: ['DEVICE_NOT_FOUND'],
    examples: examples.getDeviceSettings,
    async handle({ clientId, params }) {
      return toDto(await verbs.findSettings(byPartner(clientId), params.serial))
    },
  })

  endpoint(app, guards.partnerWithBody, {
    route: ['put', path],
    operationId: 'updateDeviceSettings',
    summary: "Change a speaker device's settings",
    description: [
      'Changes the given settings, at least one. Absent ones stay unchanged; null is refused.',
      'A connected device gets them at once, an offline one when it is back; `applied` shows whether it uses them.',
      'Both are required until the device has reported its settings.',
      'A setting that is not in the `settings` of its `abilities` is 409 `40907`, and nothing changes.',
    ],
    params: serialParams,
    body: changeDto,
    answer: settingsDto,
    answered: 'The changed settings.',
    errors: ['DEVICE_NOT_FOUND', 'DEVICE_CANNOT'],
    examples: examples.updateDeviceSettings,
    async handle({ clientId, params, body }) {
      return toDto(await verbs.changeSettings(byPartner(clientId), params.serial, body))
    },
  })
}

function toDto(known: DeviceSettings): z.infer<typeof settingsDto> {
  const { serial, desired = null, reported = null } = known
  return { deviceSerial: serial, desired, reported, applied: isApplied(known) }
}
