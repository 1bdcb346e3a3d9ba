import { bank, device, freeDevice, store, story } from './story.ts'

const { deviceSerial } = story
const settings = { ver: 1, volume: 60, lang: 'vi' as const }
const unknownSerial = [{ field: 'deviceSerial', issue: 'is not a device that you can use' }]

/** The operations on devices: bodies to send, answers to get, and what `details` of errors say. */
export const deviceExamples = {
  sendVerificationCode: {
    request: { device: { summary: 'The device to show it on', value: { deviceSerial } } },
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
        summary: 'A shop with all that is known of it',
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
        summary: 'Only what is required',
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
    answer: { free: { summary: 'Linked to nothing, owned by nobody', value: freeDevice } },
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
          errors: { 'SB-0002': 'No such device.' },
        },
      },
    },
    errors: {
      VALIDATION_FAILED: [{ field: 'devices.1.active', issue: 'must be true or false' }],
    },
  },
  getDevice: {
    answer: {
      linked: { summary: 'Announces for one store', value: device },
      free: { summary: 'Registered by nobody, and offline', value: { ...freeDevice, connected: false } },
    },
    errors: {},
  },
  getDeviceSettings: {
    answer: {
      applied: {
        summary: 'It uses what it shall use',
        value: { deviceSerial, desired: settings, reported: settings, applied: true },
      },
      never: {
        summary: 'Never set, and nothing told',
        value: { deviceSerial, desired: null, reported: null, applied: true },
      },
    },
    errors: {},
  },
  updateDeviceSettings: {
    request: {
      both: { summary: 'The whole', value: { volume: 60, lang: 'vi' as const } },
      louder: { summary: 'Only louder', value: { volume: 100 } },
    },
    answer: {
      sent: {
        summary: 'On its way',
        value: { deviceSerial, desired: settings, reported: null, applied: false },
      },
    },
    errors: {
      VALIDATION_FAILED: [{ field: 'volume', issue: 'must be 0 to 100' }],
    },
  },
  testAnnouncement: {
    answer: {
      heard: {
        summary: 'It has beeped',
        value: { deviceSerial, playedAt: '2026-11-20T03:02:00.000Z' },
      },
    },
    errors: {
      DEVICE_AUDIO_FAILED: [{ field: 'serial', issue: 'answered muted' }],
    },
  },
}
