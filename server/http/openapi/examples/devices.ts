import { bank, device, freeDevice, store, story } from './story.ts'

const { deviceSerial } = story
const unknownSerial = [{ field: 'deviceSerial', issue: 'is not a device that you can use' }]

/** The operations on devices: requests, responses, and the `details` of errors. */
export const deviceExamples = {
  sendVerificationCode: {
    request: { device: { summary: 'The device that shows the code', value: { deviceSerial } } },
    answer: {
      shown: {
        summary: 'The first code of a period',
        value: {
          deviceSerial,
          expiresIn: 300,
          expiresAt: '2026-11-20T03:05:00.000Z',
          codesRemaining: 2,
          windowResetsAt: '2026-11-20T03:15:00.000Z',
        },
      },
    },
    errors: {
      VALIDATION_FAILED: [
        { field: 'deviceSerial', issue: 'must be 4 to 32 letters, digits, underscores or hyphens' },
      ],
      BODY_DEVICE_NOT_FOUND: unknownSerial,
    },
  },
  registerDevice: {
    request: {
      shop: {
        summary: 'A shop with all fields',
        value: {
          deviceSerial,
          verificationCode: story.verificationCode,
          phoneNumber: '+84 90 123 45 67',
          storeName: story.storeName,
          identityNumber: story.identityNumber,
          ...bank,
          terminalID: story.terminalID,
          staticQRCode: story.staticQRCode,
          rmCode: story.rmCode,
        },
      },
      least: {
        summary: 'Only the required fields',
        value: {
          deviceSerial,
          verificationCode: story.verificationCode,
          phoneNumber: story.phoneNumber,
          storeName: story.storeName,
          bankCode: story.bankCode,
          bankAccountNumber: story.bankAccountNumber,
          bankAccountName: story.bankAccountName,
          terminalID: story.terminalID,
        },
      },
    },
    answer: {
      registered: { summary: 'User, store and device', value: { userId: story.userId, store, device } },
    },
    errors: {
      VALIDATION_FAILED: [
        { field: 'phoneNumber', issue: 'must be a Vietnamese phone number' },
        { field: 'bankCode', issue: 'is required' },
      ],
      BODY_DEVICE_NOT_FOUND: unknownSerial,
    },
  },
  unregisterDevice: {
    request: { device: { summary: 'The device to release', value: { deviceSerial } } },
    answer: { free: { summary: 'Not linked, and owned by nobody', value: freeDevice } },
    errors: {
      VALIDATION_FAILED: [{ field: 'deviceSerial', issue: 'is required' }],
      BODY_DEVICE_NOT_FOUND: unknownSerial,
    },
  },
  updateDevicesStatus: {
    request: {
      two: {
        summary: 'Lock one, unlock another',
        value: {
          devices: [
            { deviceSerial, active: false },
            { deviceSerial: 'SB-0002', active: true },
          ],
        },
      },
    },
    answer: {
      partly: {
        summary: 'The second is not a device of yours',
        value: {
          successCount: 1,
          totalCount: 2,
          failedDevices: ['SB-0002'],
          errors: { 'SB-0002': 'This device does not exist.' },
        },
      },
    },
    errors: {
      VALIDATION_FAILED: [{ field: 'devices.1.active', issue: 'must be true or false' }],
    },
  },
  getDevice: {
    answer: {
      linked: { summary: 'Linked to one store', value: device },
      free: { summary: 'Not registered, and offline', value: { ...freeDevice, connected: false } },
    },
    errors: {},
  },
  testDevice: {
    answer: {
      heard: { summary: 'It beeped', value: { deviceSerial, playedAt: '2026-11-20T03:00:01.000Z' } },
    },
    errors: { DEVICE_AUDIO_FAILED: [{ field: 'deviceSerial', issue: 'answered audio_failed' }] },
  },
}
