import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { isoInstant } from '../clock.ts'
import type { Presence } from '../delivery/ports.ts'
import type { HttpEnv } from '../http/env.ts'
import { errors } from '../http/error-responses.ts'
import * as field from '../http/fields.ts'
import type { Guards } from '../http/guards.ts'
import { deviceDto, json, jsonRequest, storeDto } from '../http/schemas.ts'
import type { Store } from '../stores/store.ts'
import { toStoreDto } from '../stores/to-dto.ts'
import type { Device } from './device.ts'
import type { RegistrationRequest } from './register-device.ts'
import type { SentVerification } from './send-verification.ts'
import type { StatusReport, StatusUpdate } from './update-status.ts'
import { CODE_VALID_MS } from './verification-code.ts'

const sendDto = z.object({ deviceSerial: field.deviceSerial }).openapi('SendDeviceVerificationRequestDto')
const sentDto = z
  .object({
    deviceSerial: z.string(),
    expiresIn: z.int().openapi({ example: 300, description: 'Seconds.' }),
    expiresAt: z.iso.datetime(),
    codesRemaining: z.int(),
    windowResetsAt: z.iso.datetime(),
  })
  .openapi('SendDeviceVerificationResponseDto')

const registerDto = z
  .object({
    phoneNumber: field.phoneNumber,
    deviceSerial: field.deviceSerial,
    staticQRCode: field.qrText.optional(),
    storeName: field.name,
    identityNumber: field.identityNumber.optional(),
    bankName: field.name.optional(),
    bankCode: field.bankCode,
    terminalID: field.reference,
    bankAccountNumber: field.bankAccountNumber,
    bankAccountName: field.name,
    verificationCode: field.verificationCode,
    rmCode: field.reference.optional(),
  })
  .openapi('RegisterDeviceRequestDto')
const registeredDto = z
  .object({ userId: z.string(), store: storeDto, device: deviceDto })
  .openapi('RegisterDeviceResponseDto')

const unregisterDto = z.object({ deviceSerial: field.deviceSerial }).openapi('UnregisterDeviceRequestDto')

const statusDto = z
  .object({
    deviceSerial: field.deviceSerial,
    active: z.boolean({
      error: (issue) => (issue.input === undefined ? 'is required' : 'must be true or false'),
    }),
  })
  .openapi('DeviceStatusUpdateDto')
const updateStatusDto = z
  .object({
    devices: z
      .array(statusDto, {
        error: (issue) => (issue.input === undefined ? 'is required' : 'must be an array'),
      })
      .min(1, 'must name at least 1 device')
      .max(100, 'must name at most 100 devices'),
  })
  .openapi('UpdateDevicesStatusRequestDto')
const statusReportDto = z
  .object({
    successCount: z.int(),
    totalCount: z.int(),
    failedDevices: z.array(z.string()),
    errors: z.record(z.string(), z.string()),
  })
  .openapi('UpdateDevicesStatusResponseDto')

const testedDto = z
  .object({ deviceSerial: z.string(), playedAt: z.iso.datetime() })
  .openapi('TestAnnouncementResponseDto')

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
  const tags = ['Partner']
  const security = [{ bearer: [] }]

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
    ...{ tags, security, middleware: guards.partnerWithBody.middleware },
    summary: 'Send verification code to speaker device',
    description: 'Shows a code on the screen of the device. The code itself is in no answer.',
    request: jsonRequest(sendDto),
    responses: {
      200: json(sentDto, 'The code is on the screen.'),
      ...errors(
        guards.partnerWithBody.errors,
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
    ...{ tags, security, middleware: guards.partnerWithBody.middleware },
    summary: 'Register a speaker device',
    request: jsonRequest(registerDto),
    responses: {
      201: json(registeredDto, 'Device registered.'),
      ...errors(
        guards.partnerWithBody.errors,
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
    ...{ tags, security, middleware: guards.partnerWithBody.middleware },
    summary: 'Unregister a speaker device',
    request: jsonRequest(unregisterDto),
    responses: {
      200: json(deviceDto, 'The device, released.'),
      ...errors(guards.partnerWithBody.errors, 'BODY_DEVICE_NOT_FOUND'),
    },
  })
  app.openapi(unregister, async (c) => {
    const device = await verbs.unregister(c.var.clientId, c.req.valid('json').deviceSerial)
    return c.json(toDto(device), 200)
  })

  const updateStatus = createRoute({
    method: 'patch',
    path: '/partner/device/update-status',
    ...{ tags, security, middleware: guards.partnerWithBody.middleware },
    summary: 'Update status of multiple speaker devices',
    request: jsonRequest(updateStatusDto),
    responses: { 200: json(statusReportDto, 'What was done.'), ...errors(guards.partnerWithBody.errors) },
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
    ...{ tags, security, middleware: guards.partner.middleware },
    summary: 'Get speaker device detail',
    request: { params: z.object({ serial: z.string() }) },
    responses: { 200: json(deviceDto, 'The device.'), ...errors(guards.partner.errors, 'DEVICE_NOT_FOUND') },
  })
  app.openapi(detail, async (c) => {
    const device = await verbs.findDevice(c.var.clientId, c.req.valid('param').serial)
    return c.json(toDto(device), 200)
  })

  const test = createRoute({
    method: 'post',
    path: '/partner/device/{serial}/test-announcement',
    ...{ tags, security, middleware: guards.partner.middleware },
    summary: 'Test a speaker device',
    description:
      'The device beeps and flashes; answered once it has. No sentence is spoken: what sounds like money is money.',
    request: { params: z.object({ serial: z.string() }) },
    responses: {
      200: json(testedDto, 'The device has been heard.'),
      ...errors(
        guards.partner.errors,
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
