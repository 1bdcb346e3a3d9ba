import { z } from '@hono/zod-openapi'
import { story } from '../http/openapi/examples/story.ts'
import * as field from '../http/openapi/fields.ts'
import { deviceDto, instant, said, storeDto, uuid } from '../http/openapi/schemas.ts'
import { SERIAL_PATTERN } from './device.ts'

/** The bodies of /partner/device. */

const count = (description: string, example: number) => z.int().openapi({ description, examples: [example] })

export const sendDto = z
  .object({ deviceSerial: field.deviceSerial })
  .openapi('SendDeviceVerificationRequestDto', { description: 'The device that shall show a code.' })

export const sentDto = z
  .object({
    deviceSerial: said('The device that shows the code.', story.deviceSerial),
    expiresIn: count('Seconds for which the code can be used.', 300),
    expiresAt: instant('When the code ends.', '2026-11-20T03:05:00.000Z'),
    codesRemaining: count('How many more codes this device may be sent in the current period.', 2),
    windowResetsAt: instant('When the current period of 15 minutes ends.', '2026-11-20T03:15:00.000Z'),
  })
  .openapi('SendDeviceVerificationResponseDto', { description: 'A code is on the screen.' })

export const registerDto = z
  .object({
    phoneNumber: field.phoneNumber.openapi({
      description:
        "The user's phone number: it tells your users apart. A Vietnamese number with +84, 84 or 0 in front; spaces, dots and dashes are removed.",
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
    description: 'A device, its code, and the store that it shall announce for.',
  })

export const registeredDto = z
  .object({
    userId: uuid('The user, found or made by the phone number.', story.userId),
    store: storeDto,
    device: deviceDto,
  })
  .openapi('RegisterDeviceResponseDto', { description: 'What the registration has made or changed.' })

export const unregisterDto = z
  .object({ deviceSerial: field.deviceSerial })
  .openapi('UnregisterDeviceRequestDto', { description: 'The device to release.' })

const statusDto = z
  .object(
    {
      deviceSerial: field.deviceSerial,
      active: z
        .boolean({
          error: (issue) => (issue.input === undefined ? 'is required' : 'must be true or false'),
        })
        .openapi({ description: 'False locks the device: it stays silent.', examples: [false] }),
    },
    'must be an object with deviceSerial and active',
  )
  .openapi('DeviceStatusUpdateDto', { description: 'One device, and what it shall be.' })

export const updateStatusDto = z
  .object({
    devices: z
      .array(statusDto, {
        error: (issue) => (issue.input === undefined ? 'is required' : 'must be an array'),
      })
      .min(1, 'must name at least 1 device')
      .max(100, 'must name at most 100 devices')
      .openapi({
        description: 'Each device once: when it is named again, the first counts and the others fail.',
      }),
  })
  .openapi('UpdateDevicesStatusRequestDto', { description: 'The devices to lock or unlock.' })

export const statusReportDto = z
  .object({
    successCount: count('How many were carried out.', 1),
    totalCount: count('How many were asked for.', 2),
    failedDevices: z.array(z.string()).openapi({
      description: 'The serials that were not, in their order.',
      examples: [['SB-0002']],
    }),
    errors: z.record(z.string(), z.string()).openapi({
      description: 'Why not, by serial.',
      examples: [{ 'SB-0002': 'No such device.' }],
    }),
  })
  .openapi('UpdateDevicesStatusResponseDto', { description: 'What became of each.' })

export const testedDto = z
  .object({
    deviceSerial: said('The device.', story.deviceSerial),
    playedAt: instant('When it has confirmed that it beeped.', '2026-11-20T03:00:01.000Z'),
  })
  .openapi('TestAnnouncementResponseDto', { description: 'The device has been heard.' })

export const serialParams = z.object({
  serial: z.string().openapi({
    description:
      'The serial of the device. One that is not well-formed is answered like one that there is not.',
    pattern: SERIAL_PATTERN.source,
    examples: [story.deviceSerial],
  }),
})
