import { story } from './story.ts'

const desired = { ver: 3, volume: 80, lang: 'vi' as const }
const reported = { ver: 2, volume: 60, lang: 'vi' as const }
const { deviceSerial } = story

/** The operations on settings: requests, responses, and the `details` of errors. */
export const settingsExamples = {
  getDeviceSettings: {
    answer: {
      applied: {
        summary: 'The device uses the desired settings',
        value: { deviceSerial, desired: reported, reported, applied: true },
      },
      unknown: {
        summary: 'Never set, and never reported',
        value: { deviceSerial, desired: null, reported: null, applied: true },
      },
    },
    errors: {},
  },
  updateDeviceSettings: {
    request: {
      louder: { summary: 'Louder, in the same language', value: { volume: 80 } },
      both: { summary: 'Both', value: { volume: 80, lang: 'vi' as const } },
    },
    answer: {
      waiting: {
        summary: 'Sent, but not yet confirmed by the device',
        value: { deviceSerial, desired, reported, applied: false },
      },
    },
    errors: { VALIDATION_FAILED: [{ field: 'volume', issue: 'must be 0 to 100' }] },
  },
}
