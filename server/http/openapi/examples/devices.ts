import {
  abilities,
  bank,
  cursor,
  device,
  example,
  freeDevice,
  health,
  noHealth,
  store,
  story,
} from './story.ts'

const { deviceSerial, verificationCode, phoneNumber, storeName, identityNumber, terminalID } = story
const { bankName, ...account } = bank
const required = { deviceSerial, verificationCode, phoneNumber, storeName, terminalID, ...account }
const unknownSerial = { deviceSerial: 'is not a device that you can use' }

/** The operations on devices: requests, responses, and the `details` of errors. */
export const deviceExamples = {
  sendVerificationCode: {
    request: { device: example('The device that shows the code', { deviceSerial }) },
    answer: {
      shown: example('The first code of a period', {
        deviceSerial,
        channel: 'screen' as const,
        expiresIn: 300,
        expiresAt: '2026-11-20T03:05:00.000Z',
        codesRemaining: 2,
        windowResetsAt: '2026-11-20T03:15:00.000Z',
      }),
    },
    errors: {
      VALIDATION_FAILED: { deviceSerial: 'must be 4 to 32 letters, digits, underscores or hyphens' },
      BODY_DEVICE_NOT_FOUND: unknownSerial,
      DEVICE_CANNOT: {
        deviceSerial:
          'can neither show nor say a code: register it with the 12 characters of its printed label as verificationCode',
      },
    },
  },
  registerDevice: {
    request: {
      shop: example('A shop with all fields', {
        ...required,
        phoneNumber: '+84 90 123 45 67',
        identityNumber,
        bankName,
        staticQRCode: story.staticQRCode,
        rmCode: story.rmCode,
      }),
      least: example('Only the required fields', required),
    },
    answer: { registered: example('User, store and device', { userId: story.userId, store, device }) },
    errors: {
      VALIDATION_FAILED: { phoneNumber: 'must be a Vietnamese phone number', bankCode: 'is required' },
      BODY_DEVICE_NOT_FOUND: unknownSerial,
    },
  },
  unregisterDevice: {
    request: { device: example('The device to release', { deviceSerial }) },
    answer: { free: example('Not linked, and owned by nobody', freeDevice) },
    errors: { VALIDATION_FAILED: { deviceSerial: 'is required' }, BODY_DEVICE_NOT_FOUND: unknownSerial },
  },
  updateDevicesStatus: {
    request: {
      two: example('Lock one, unlock another', {
        devices: [
          { deviceSerial, active: false },
          { deviceSerial: 'SB-0002', active: true },
        ],
      }),
    },
    answer: {
      partly: example('The second is not a device of yours', {
        successCount: 1,
        totalCount: 2,
        failedDevices: ['SB-0002'],
        errors: { 'SB-0002': 'This device does not exist.' },
      }),
    },
    errors: { VALIDATION_FAILED: { 'devices.1.active': 'must be true or false' } },
  },
  getDevice: {
    answer: {
      linked: example('Linked to one store', { ...device, health, abilities }),
      free: example('Not registered, and never connected', {
        ...{ ...freeDevice, connected: false },
        health: noHealth,
        abilities: { ...abilities, languages: [] },
      }),
    },
  },
  listDevices: {
    answer: {
      page: example('One device; there are more', { data: [{ ...device, health, abilities }], next: cursor }),
      end: example('No device matches', { data: [], next: null }),
    },
    errors: {
      VALIDATION_FAILED: {
        connected: 'must be true or false',
        cursor: 'is not the `next` of a page of this list',
      },
    },
  },
  testDevice: {
    answer: { heard: example('It beeped', { deviceSerial, playedAt: '2026-11-20T03:00:01.000Z' }) },
    errors: {
      DEVICE_AUDIO_FAILED: { deviceSerial: 'answered audio_failed' },
      DEVICE_CANNOT: { deviceSerial: 'has no test sound: report a small payment to hear it' },
    },
  },
}
