import { example, story } from './story.ts'

const desired = { ver: 3, volume: 80, lang: 'vi' as const }
const reported = { ver: 2, volume: 60, lang: 'vi' as const }

const settings = <T>(desired: T, reported: T) => ({
  ...{ deviceSerial: story.deviceSerial, desired, reported },
  applied: desired === reported,
})

/** The operations on settings: requests, responses, and the `details` of errors. */
export const settingsExamples = {
  getDeviceSettings: {
    answer: {
      applied: example('The device uses the desired settings', settings(reported, reported)),
      unknown: example('Never set, and never reported', settings(null, null)),
    },
  },
  updateDeviceSettings: {
    request: {
      louder: example('Louder, in the same language', { volume: 80 }),
      both: example('Both', { volume: 80, lang: 'vi' as const }),
    },
    answer: { waiting: example('Sent, but not yet confirmed by the device', settings(desired, reported)) },
    errors: {
      VALIDATION_FAILED: { volume: 'must be 0 to 100' },
      DEVICE_CANNOT: { volume: 'cannot be set from afar: set it at the device itself' },
    },
  },
}
