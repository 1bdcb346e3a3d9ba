import { z } from '@hono/zod-openapi'
import { story } from '../http/openapi/examples/story.ts'
import * as field from '../http/openapi/fields.ts'
import { flagParam, listOf, paging } from '../http/openapi/lists.ts'
import {
  type abilitiesDto,
  deviceDetailDto,
  deviceDto,
  instant,
  said,
  shown,
  storeDto,
  uuid,
  whole,
} from '../http/openapi/schemas.ts'
import { pattern, required } from '../http/openapi/text-rules.ts'
import { isoInstant } from '../platform/clock.ts'
import { toStoreDto } from '../stores/dto.ts'
import { type Abilities, type Device, type DeviceDetail, SERIAL_PATTERN } from './device.ts'

/** The bodies of /partner/device. */

export const sendDto = z
  .object({ deviceSerial: field.deviceSerial })
  .openapi('SendDeviceVerificationRequestDto', { description: 'The device that is to show or say a code.' })

export const sentDto = z
  .object({
    deviceSerial: said('The device that shows the code.', story.deviceSerial),
    channel: z
      .enum(['screen', 'spoken', 'qr'])
      .openapi(
        shown(
          'Where the code is: on the screen, spoken twice, or as a QR on the screen that a phone reads.',
          'screen',
        ),
      ),
    expiresIn: whole('Seconds until the code expires.', 300),
    expiresAt: instant('When the code expires.', '2026-11-20T03:05:00.000Z'),
    codesRemaining: whole('How many more codes this device may show in the current period.', 2),
    windowResetsAt: instant('When the current period of 15 minutes ends.', '2026-11-20T03:15:00.000Z'),
  })
  .openapi('SendDeviceVerificationResponseDto', { description: 'The device shows the code, or says it.' })

export const registerDto = z
  .object({
    phoneNumber: field.phoneNumber.openapi({
      description:
        "The user's phone number; it identifies the user. A Vietnamese number that starts with +84, 84 or 0. Spaces, dots and dashes are removed.",
    }),
    deviceSerial: field.deviceSerial,
    staticQRCode: field.staticQRCode.optional(),
    storeName: field.storeName,
    identityNumber: field.identityNumber.optional(),
    bankName: field.bankName.optional(),
    bankCode: field.bankCode,
    terminalID: field.terminalID,
    bankAccountNumber: field.bankAccountNumber,
    bankAccountName: field.bankAccountName,
    verificationCode: field.verificationCode,
    rmCode: field.rmCode.optional(),
  })
  .openapi('RegisterDeviceRequestDto', {
    description: 'A device, its code, and the store whose payments it announces.',
  })

export const registeredDto = z
  .object({
    userId: uuid('The user with this phone number.', story.userId),
    store: storeDto,
    device: deviceDto,
  })
  .openapi('RegisterDeviceResponseDto', { description: 'The created or changed user, store and device.' })

export const unregisterDto = z
  .object({ deviceSerial: field.deviceSerial })
  .openapi('UnregisterDeviceRequestDto', { description: 'The device to release.' })

const statusDto = z
  .object(
    {
      deviceSerial: field.deviceSerial,
      active: z
        .boolean(required('must be true or false'))
        .openapi(shown('False locks the device: it makes no announcements.', false)),
    },
    'must be an object with deviceSerial and active',
  )
  .openapi('DeviceStatusUpdateDto', { description: 'One device and its new status.' })

export const updateStatusDto = z
  .object({
    devices: z
      .array(statusDto, required('must be an array'))
      .min(1, 'must name at least 1 device')
      .max(100, 'must name at most 100 devices')
      .openapi({
        description:
          'Each device once. When a device is listed again, the first item counts and the others fail.',
      }),
  })
  .openapi('UpdateDevicesStatusRequestDto', { description: 'The devices to lock or unlock.' })

export const statusReportDto = z
  .object({
    successCount: whole('How many succeeded.', 1),
    totalCount: whole('How many were requested.', 2),
    failedDevices: z
      .array(z.string())
      .openapi(shown('The serials that failed, in the order of the request.', ['SB-0002'])),
    errors: z
      .record(z.string(), z.string())
      .openapi(shown('The reasons, by serial.', { 'SB-0002': 'This device does not exist.' })),
  })
  .openapi('UpdateDevicesStatusResponseDto', { description: 'The result for each device.' })

export const testedDto = z
  .object({
    deviceSerial: said('The device.', story.deviceSerial),
    playedAt: instant('When the device confirmed that it beeped.', '2026-11-20T03:00:01.000Z'),
  })
  .openapi('TestAnnouncementResponseDto', { description: 'The device has beeped.' })

export const serialParams = z.object({
  serial: z.string().openapi({
    description: 'The serial of the device. A malformed serial gets the same answer as an unknown one.',
    pattern: SERIAL_PATTERN.source,
    examples: [story.deviceSerial],
  }),
})

export const listQuery = z.object({
  ...paging,
  serial: pattern(/^[A-Za-z0-9_-]{1,32}$/, 'must be 1 to 32 letters, digits, underscores or hyphens')
    .optional()
    .openapi({ description: 'The beginning of the serial; case-sensitive.' }),
  storeId: field.storeId.optional().openapi({ description: 'Announces for this store.' }),
  connected: flagParam('Online now, or not.'),
  active: flagParam('Not locked, or locked.'),
})

export const deviceListDto = listOf('DeviceListDto', 'A page of devices.', deviceDetailDto)

export function toDeviceDto(device: Device, connected: boolean): z.infer<typeof deviceDto> {
  const { id, serial, deviceName, active, clientId, rmCode, stores } = device
  return {
    ...{ id, serial, deviceName, active, connected },
    ...{ partnerClientId: clientId ?? '', rmCode, stores: stores.map(toStoreDto) },
  }
}

function toAbilitiesDto(abilities: Abilities): z.infer<typeof abilitiesDto> {
  const { profile = null, settings, languages, ...rest } = abilities
  return { ...rest, profile, settings: [...settings], languages: [...languages] }
}

/** A device with what it has last said of itself, and with what it can do. */
export function toDetailDto(report: DeviceDetail): z.infer<typeof deviceDetailDto> {
  const { deviceId, connected, lastSeenAt, model, firmware, health, abilities } = report
  const iso = (at: number | undefined) => (at === undefined ? null : isoInstant(at))
  return {
    ...toDeviceDto({ ...report, id: deviceId }, connected),
    health: {
      lastSeenAt: iso(lastSeenAt),
      model: model || null,
      firmware: firmware || null,
      battery: health?.battery ?? null,
      charging: health?.charging ?? null,
      signal: health?.signal ?? null,
      volume: health?.volume ?? null,
      reportedAt: iso(health?.reportedAt),
    },
    abilities: toAbilitiesDto(abilities),
  }
}
