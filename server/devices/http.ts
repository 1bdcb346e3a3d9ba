import { createRoute, type OpenAPIHono, type z } from '@hono/zod-openapi'
import { errors } from '../http/errors/openapi.ts'
import type { Guards } from '../http/guards/guards.ts'
import { byPartner } from '../http/openapi/components.ts'
import { deviceExamples as examples } from '../http/openapi/examples/devices.ts'
import { deviceDto, json, jsonRequest, prose } from '../http/openapi/schemas.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { isoInstant } from '../platform/clock.ts'
import type { Store } from '../stores/store.ts'
import { toStoreDto } from '../stores/to-dto.ts'
import type { Device } from './device.ts'
import * as dto from './dto.ts'
import type { Presence } from './ports.ts'
import type { RegistrationRequest } from './register-device.ts'
import type { SentVerification } from './send-verification.ts'
import type { StatusReport, StatusUpdate } from './update-status.ts'
import { CODE_VALID_MS } from './verification-code.ts'

export interface DeviceVerbs {
  sendVerification: (clientId: string, serial: string) => Promise<SentVerification>
  register: (
    clientId: string,
    request: RegistrationRequest,
  ) => Promise<{ userId: string; store: Store; device: Device }>
  unregister: (clientId: string, serial: string) => Promise<Device>
  updateStatus: (clientId: string, updates: readonly StatusUpdate[]) => Promise<StatusReport>
  findDevice: (clientId: string, serial: string) => Promise<Device>
  testAnnouncement: (clientId: string, serial: string) => Promise<{ serial: string; playedAt: number }>
}

/** The endpoints under /partner/device */
export function deviceRoutes(
  app: OpenAPIHono<HttpEnv>,
  guards: Guards,
  verbs: DeviceVerbs,
  presence: Presence,
) {
  const shared = { tags: ['Partner'], ...byPartner }

  const toDto = (device: Device): z.infer<typeof deviceDto> => ({
    id: device.id,
    serial: device.serial,
    deviceName: device.deviceName,
    active: device.active,
    connected: presence.isConnected(device.serial),
    partnerClientId: device.clientId ?? '',
    rmCode: device.rmCode,
    stores: device.stores.map(toStoreDto),
  })

  const send = createRoute({
    method: 'post',
    path: '/partner/device/send-verification',
    ...{ ...shared, middleware: guards.partnerOnce.middleware },
    operationId: 'sendVerificationCode',
    summary: 'Send verification code to speaker device',
    description: prose(
      'Shows six digits on the screen of the device, for a registration within 5 minutes. No response contains the code. Reading it off the screen proves that the person stands at the device, and that the device is online and its display works.',
      'The response waits until the device confirms that it shows the code, up to 5 seconds.',
      'Only a code that was shown counts. A device shows at most 3 codes in 15 minutes, counted from the first; a registration does not start a new period. The newest code replaces older ones.',
      "An unknown device and another partner's device are both 400 `40013`, and nothing is shown.",
    ),
    request: jsonRequest(dto.sendDto, examples.sendVerificationCode.request),
    responses: {
      200: json(dto.sentDto, 'The code is on the screen.', examples.sendVerificationCode.answer),
      ...errors(
        guards.partnerOnce.errors,
        examples.sendVerificationCode.errors,
        'BODY_DEVICE_NOT_FOUND',
        'DEVICE_OFFLINE',
        'DEVICE_DISPLAY_FAILED',
        'DEVICE_NOT_RESPONDING',
        'VERIFICATION_QUOTA',
      ),
    },
  })
  app.openapi(send, async (c) => {
    const sent = await verbs.sendVerification(c.var.clientId, c.req.valid('json').deviceSerial)
    const body = {
      deviceSerial: sent.serial,
      expiresIn: CODE_VALID_MS / 1000,
      expiresAt: isoInstant(sent.expiresAt),
      codesRemaining: sent.codesRemaining,
      windowResetsAt: isoInstant(sent.periodEndsAt),
    }
    return c.json(body, 200)
  })

  const register = createRoute({
    method: 'post',
    path: '/partner/device/register',
    ...{ ...shared, middleware: guards.partnerOnce.middleware },
    operationId: 'registerDevice',
    summary: 'Register a speaker device',
    description: prose(
      'Creates the user with this phone number if it does not exist, creates or changes the store with this `terminalID`, and links the device to both, in one transaction.',
      'Send the code that the screen shows, see `send-verification`. A wrong code also ends the right one. After that, or after 5 minutes, request a new code.',
      'Registering a device again adds the store to its `stores`: one speaker may serve several tills, and a store may have several speakers. Absent fields stay unchanged.',
    ),
    request: jsonRequest(dto.registerDto, examples.registerDevice.request),
    responses: {
      201: json(dto.registeredDto, 'Device registered.', examples.registerDevice.answer),
      ...errors(
        guards.partnerOnce.errors,
        examples.registerDevice.errors,
        'BODY_DEVICE_NOT_FOUND',
        'VERIFICATION_CODE_INVALID',
        'VERIFICATION_CODE_EXPIRED',
        'VERIFICATION_CODE_NOT_FOUND',
      ),
    },
  })
  app.openapi(register, async (c) => {
    const { deviceSerial, verificationCode, phoneNumber, rmCode, ...store } = c.req.valid('json')
    const request = { serial: deviceSerial, verificationCode, phoneNumber, rmCode, store }
    const { userId, store: stored, device } = await verbs.register(c.var.clientId, request)
    return c.json({ userId, store: toStoreDto(stored), device: toDto(device) }, 201)
  })

  const unregister = createRoute({
    method: 'post',
    path: '/partner/device/unregister',
    ...{ ...shared, middleware: guards.partnerOnce.middleware },
    operationId: 'unregisterDevice',
    summary: 'Unregister a speaker device',
    description: prose(
      'Releases the device: it is linked to no store, its screen shows that it is not registered, and another partner may register it.',
      'Its stores, their totals and their history stay. Announcements that it has not spoken yet are dropped.',
    ),
    request: jsonRequest(dto.unregisterDto, examples.unregisterDevice.request),
    responses: {
      200: json(deviceDto, 'The released device.', examples.unregisterDevice.answer),
      ...errors(guards.partnerOnce.errors, examples.unregisterDevice.errors, 'BODY_DEVICE_NOT_FOUND'),
    },
  })
  app.openapi(unregister, async (c) => {
    const device = await verbs.unregister(c.var.clientId, c.req.valid('json').deviceSerial)
    return c.json(toDto(device), 200)
  })

  const updateStatus = createRoute({
    method: 'patch',
    path: '/partner/device/update-status',
    ...{ ...shared, middleware: guards.partnerWithBody.middleware },
    operationId: 'updateDevicesStatus',
    summary: 'Update status of multiple speaker devices',
    description: prose(
      'Locks or unlocks up to 100 devices, each separately. A valid body gets 200 even if every item fails, so check `failedDevices`.',
      'A locked device makes no announcements, and payments of that time are never announced later. They are still counted.',
    ),
    request: jsonRequest(dto.updateStatusDto, examples.updateDevicesStatus.request),
    responses: {
      200: json(dto.statusReportDto, 'The result for each device.', examples.updateDevicesStatus.answer),
      ...errors(guards.partnerWithBody.errors, examples.updateDevicesStatus.errors),
    },
  })
  app.openapi(updateStatus, async (c) => {
    const updates = c.req
      .valid('json')
      .devices.map(({ deviceSerial, active }) => ({ serial: deviceSerial, active }))
    const report = await verbs.updateStatus(c.var.clientId, updates)
    const body = {
      successCount: report.successCount,
      totalCount: report.totalCount,
      failedDevices: report.errors.map(({ serial }) => serial),
      errors: Object.fromEntries(report.errors.map(({ serial, message }) => [serial, message])),
    }
    return c.json(body, 200)
  })

  const detail = createRoute({
    method: 'get',
    path: '/partner/device/{serial}',
    ...{ ...shared, middleware: guards.partner.middleware },
    operationId: 'getDevice',
    summary: 'Get speaker device detail',
    description: prose(
      'A device of yours, or one that nobody has registered.',
      '`active: false` means locked, `connected: false` offline, `stores: []` not linked.',
    ),
    request: { params: dto.serialParams },
    responses: {
      200: json(deviceDto, 'The device.', examples.getDevice.answer),
      ...errors(guards.partner.errors, 'DEVICE_NOT_FOUND'),
    },
  })
  app.openapi(detail, async (c) => {
    const device = await verbs.findDevice(c.var.clientId, c.req.valid('param').serial)
    return c.json(toDto(device), 200)
  })

  const test = createRoute({
    method: 'post',
    path: '/partner/device/{serial}/test-announcement',
    ...{ ...shared, middleware: guards.partner.middleware },
    operationId: 'testDevice',
    summary: 'Test a speaker device',
    description: prose(
      'A device of yours beeps and flashes. The response waits until it has done so, and somebody in the shop can say whether it was heard.',
      'It speaks no sentence, because only real money may sound like money. A locked device (`active: false`) beeps, too: the lock concerns announcements.',
    ),
    request: { params: dto.serialParams },
    responses: {
      200: json(dto.testedDto, 'The device has beeped.', examples.testDevice.answer),
      ...errors(
        guards.partner.errors,
        examples.testDevice.errors,
        'DEVICE_NOT_FOUND',
        'DEVICE_OFFLINE',
        'DEVICE_AUDIO_FAILED',
        'DEVICE_NOT_RESPONDING',
      ),
    },
  })
  app.openapi(test, async (c) => {
    const { serial, playedAt } = await verbs.testAnnouncement(c.var.clientId, c.req.valid('param').serial)
    return c.json({ deviceSerial: serial, playedAt: isoInstant(playedAt) }, 200)
  })
}
