import type { OpenAPIHono } from '@hono/zod-openapi'
import { endpoint } from '../http/guards/endpoint.ts'
import type { Guards } from '../http/guards/guards.ts'
import { deviceExamples as examples } from '../http/openapi/examples/devices.ts'
import { deviceDetailDto, deviceDto } from '../http/openapi/schemas.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { isoInstant } from '../platform/clock.ts'
import { byPartner } from '../security/actor.ts'
import { toStoreDto } from '../stores/dto.ts'
import type { AbilitiesOf, ProfilesProving } from './abilities.ts'
import type { Device } from './device.ts'
import * as dto from './dto.ts'
import type { manageDevices } from './manage-devices.ts'
import type { Presence } from './ports.ts'
import type { registerDevice } from './register-device.ts'
import type { sendVerification } from './send-verification.ts'
import { CODE_VALID_MS } from './verification-code.ts'

export interface DeviceVerbs extends ReturnType<typeof manageDevices> {
  sendVerification: ReturnType<typeof sendVerification>
  register: ReturnType<typeof registerDevice>
  abilitiesOf: AbilitiesOf
  profilesProving: ProfilesProving
}

type Routes = (app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: DeviceVerbs, presence: Presence) => void

/** The endpoints under /partner/device */
export const deviceRoutes: Routes = (...to) => {
  for (const add of [verification, registration, status, reads]) add(...to)
}

const verification: Routes = (app, guards, verbs) => {
  endpoint(app, guards.partnerOnce, {
    route: ['post', '/partner/device/send-verification'],
    operationId: 'sendVerificationCode',
    summary: 'Send verification code to speaker device',
    description: [
      'Shows six digits on the screen of the device, for a registration within 5 minutes. No response contains the code. Reading it off the screen proves that the person stands at the device, and that the device is online and its display works.',
      'The response waits until the device confirms that it shows the code, up to 5 seconds.',
      'A speaker of another maker may say the code twice, or show it as a QR: `channel` tells which. One that can do neither is 409 `40907`: register it with the 12 characters of its printed label.',
      'Only a code that was shown counts. You get at most 3 codes for a device in 15 minutes, counted from your first; a registration does not start a new period. For all partners together, a device shows at most 9 codes in 15 minutes. Your newest code replaces your older ones; the screen shows the newest of all.',
      "An unknown device and another partner's device are both 400 `40013`, and nothing is shown.",
    ],
    body: dto.sendDto,
    answer: dto.sentDto,
    answered: 'The code is on the screen.',
    errors: [
      'BODY_DEVICE_NOT_FOUND',
      'DEVICE_OFFLINE',
      'DEVICE_DISPLAY_FAILED',
      'DEVICE_CANNOT',
      'DEVICE_NOT_RESPONDING',
      'VERIFICATION_QUOTA',
    ],
    examples: examples.sendVerificationCode,
    async handle({ clientId, body }) {
      const sent = await verbs.sendVerification(clientId, body.deviceSerial)
      return {
        deviceSerial: sent.serial,
        expiresIn: CODE_VALID_MS / 1000,
        expiresAt: isoInstant(sent.expiresAt),
        channel: sent.channel,
        codesRemaining: sent.codesRemaining,
        windowResetsAt: isoInstant(sent.periodEndsAt),
      }
    },
  })
}

const registration: Routes = (app, guards, verbs, presence) => {
  const toDto = async (device: Device) => dto.toDeviceDto(device, await presence.isConnected(device.serial))

  endpoint(app, guards.partnerOnce, {
    route: ['post', '/partner/device/register'],
    operationId: 'registerDevice',
    summary: 'Register a speaker device',
    description: [
      'Creates the user with this phone number if it does not exist, creates or changes the store with this `terminalID`, and links the device to both, in one transaction.',
      'Send the code that the screen shows, see `send-verification`. A wrong code also ends the right one. After that, or after 5 minutes, request a new code. A speaker of another maker that can neither show nor say a code has a label: send its 12 characters. Wrong labels count in the quota of codes.',
      'Registering a device again adds the store to its `stores`: one speaker may serve several tills, and a store may have several speakers. Absent fields stay unchanged.',
    ],
    body: dto.registerDto,
    answer: dto.registeredDto,
    status: 201,
    answered: 'Device registered.',
    errors: [
      'BODY_DEVICE_NOT_FOUND',
      'VERIFICATION_CODE_INVALID',
      'VERIFICATION_CODE_EXPIRED',
      'VERIFICATION_CODE_NOT_FOUND',
      'VERIFICATION_QUOTA',
    ],
    examples: examples.registerDevice,
    async handle({ clientId, body }) {
      const { deviceSerial, verificationCode, phoneNumber, rmCode, ...store } = body
      const request = { serial: deviceSerial, verificationCode, phoneNumber, rmCode, store }
      const { userId, store: stored, device } = await verbs.register(clientId, request)
      return { userId, store: toStoreDto(stored), device: await toDto(device) }
    },
  })

  endpoint(app, guards.partnerOnce, {
    route: ['post', '/partner/device/unregister'],
    operationId: 'unregisterDevice',
    summary: 'Unregister a speaker device',
    description: [
      'Releases the device: it is linked to no store, its screen shows that it is not registered, and another partner may register it.',
      'Its stores, their totals and their history stay. Announcements that it has not spoken yet are dropped.',
    ],
    body: dto.unregisterDto,
    answer: deviceDto,
    answered: 'The released device.',
    errors: ['BODY_DEVICE_NOT_FOUND'],
    examples: examples.unregisterDevice,
    async handle({ clientId, body }) {
      return toDto(await verbs.unregister(byPartner(clientId), body.deviceSerial))
    },
  })
}

const status: Routes = (app, guards, verbs) => {
  endpoint(app, guards.partnerWithBody, {
    route: ['patch', '/partner/device/update-status'],
    operationId: 'updateDevicesStatus',
    summary: 'Update status of multiple speaker devices',
    description: [
      'Locks or unlocks up to 100 devices, each separately. A valid body gets 200 even if every item fails, so check `failedDevices`.',
      'A locked device makes no announcements, and payments of that time are never announced later. They are still counted.',
      'Its screen says that it is locked and shows no QR, at once, or when the device is back. Unlocking gives the QRs back.',
    ],
    body: dto.updateStatusDto,
    answer: dto.statusReportDto,
    answered: 'The result for each device.',
    examples: examples.updateDevicesStatus,
    async handle({ clientId, body }) {
      const updates = body.devices.map(({ deviceSerial, active }) => ({ serial: deviceSerial, active }))
      const errors = await verbs.updateStatus(byPartner(clientId), updates)
      return {
        successCount: updates.length - errors.length,
        totalCount: updates.length,
        failedDevices: errors.map(({ serial }) => serial),
        errors: Object.fromEntries(errors.map(({ serial, message }) => [serial, message])),
      }
    },
  })
}

const reads: Routes = (app, guards, verbs) => {
  endpoint(app, guards.partner, {
    route: ['get', '/partner/device'],
    operationId: 'listDevices',
    summary: 'List speaker devices',
    description: [
      'Your devices, those that were made last first, each as in its detail.',
      '`connected` is a few seconds old here.',
      'To read the whole list, send `next` as `cursor` until it is null: every device that was there at the start comes exactly once.',
    ],
    query: dto.listQuery,
    answer: dto.deviceListDto,
    answered: 'A page of devices.',
    examples: examples.listDevices,
    async handle({ clientId, query: { limit, cursor, serial, ...filter } }) {
      const wanted = { ...filter, serialPrefix: serial }
      const { rows, next } = await verbs.listDevices(clientId, wanted, { limit, cursor })
      return { data: rows.map(dto.toDetailDto), next: next ?? null }
    },
  })

  endpoint(app, guards.partner, {
    route: ['get', '/partner/device/{serial}'],
    operationId: 'getDevice',
    summary: 'Get speaker device detail',
    description: [
      'A device of yours, or one that nobody has registered.',
      '`active: false` means locked, `connected: false` offline, `stores: []` not linked.',
      '`health` is what the device has last said of itself, never a guess. `abilities` is what it can do: what it can not is answered with 409 `40907` and never sent to it.',
    ],
    params: dto.serialParams,
    answer: deviceDetailDto,
    answered: 'The device.',
    errors: ['DEVICE_NOT_FOUND'],
    examples: examples.getDevice,
    async handle({ clientId, params }) {
      return dto.toDetailDto(await verbs.findDevice(clientId, params.serial))
    },
  })

  endpoint(app, guards.partner, {
    route: ['post', '/partner/device/{serial}/test-announcement'],
    operationId: 'testDevice',
    summary: 'Test a speaker device',
    description: [
      'A device of yours beeps and flashes. The response waits until it has done so, and somebody in the shop can say whether it was heard.',
      'A speaker of another maker has no such sound: 409 `40907`.',
      'It speaks no sentence, because only real money may sound like money. A locked device (`active: false`) beeps, too: the lock concerns announcements.',
    ],
    params: dto.serialParams,
    answer: dto.testedDto,
    answered: 'The device has beeped.',
    errors: [
      'DEVICE_NOT_FOUND',
      'DEVICE_OFFLINE',
      'DEVICE_AUDIO_FAILED',
      'DEVICE_CANNOT',
      'DEVICE_NOT_RESPONDING',
    ],
    examples: examples.testDevice,
    async handle({ clientId, params }) {
      const { serial, playedAt } = await verbs.testAnnouncement(clientId, params.serial)
      return { deviceSerial: serial, playedAt: isoInstant(playedAt) }
    },
  })
}
