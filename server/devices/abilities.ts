import { LANGUAGES } from '../../protocol/money/language.ts'
import { fieldError, type HubError } from '../platform/errors.ts'
import { type Abilities, type DeviceKind, OWN_DIALECT, type SoundProof } from './device.ts'

/** What a device can do. Reads the profile of a box. */
export type AbilitiesOf = (device: DeviceKind) => Promise<Abilities>

/** The names of the profiles whose devices give this proof as their best one. `sb/1` stands for speakers of our own. */
export type ProfilesProving = (proof: SoundProof) => Promise<string[]>

/** The highest amount of a payment: 13 digits. */
const HIGHEST_AMOUNT = '9999999999999'

/** What a speaker of our own can do (sb/1). It says at its birth which languages it has clips for. */
export function ownAbilities({ languages }: Pick<DeviceKind, 'languages'>): Abilities {
  return {
    dialect: OWN_DIALECT,
    profile: undefined,
    proof: 'played',
    identity: 'device',
    pairing: 'screen',
    ...{ screen: true, qr: true, missed: true, keypad: false },
    settings: ['volume', 'lang'],
    languages: LANGUAGES.filter((lang) => languages.includes(lang)),
    maxAmount: HIGHEST_AMOUNT,
  }
}

/** What is known of a box whose profile this hub does not have or does not understand: it takes no connection of it. */
export function unknownAbilities({ dialect, profile }: DeviceKind): Abilities {
  return {
    ...{ dialect, profile, proof: 'none', identity: 'weak', pairing: 'label' },
    ...{ screen: false, qr: false, missed: false, keypad: false },
    ...{ settings: [], languages: [], maxAmount: '0' },
  }
}

/** Whether a device beeps and flashes when it is asked to. No dialect of boxes has a command for it. */
export const canIdentify = ({ dialect }: Pick<DeviceKind, 'dialect'>): boolean => dialect === OWN_DIALECT

/** `issue` continues the name of the field that asks for it. */
export const cannot = (field: string, issue: string): HubError => fieldError('DEVICE_CANNOT', field, issue)
