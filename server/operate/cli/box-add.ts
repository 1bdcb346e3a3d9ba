import { labelHash } from '../../devices/label.ts'
import type { BoxMinting, MintedBox } from '../../devices/ports.ts'
import { boxLoginHash, expectedPassword, identityOf } from '../../dialects/profile/login.ts'
import { wireIdOf } from '../../dialects/profile/names.ts'
import { chooseProfile, otherIsStored, type Profile } from './box-profiles.ts'
import { passwordFromInput, secretInFile } from './input.ts'
import { done, fields, type Outcome, refused } from './output.ts'
import type { Workspace } from './workspace.ts'

export interface BoxAddOptions {
  serial: string
  /** A dialect, or the name of a profile. */
  dialect?: string
  /** The name of a profile, or its file. */
  profile?: string
  /** The password is in the box already, and comes from standard input. */
  passwordStdin?: true
  /** The file of the secret from which the maker's formula computes the password. */
  secretFile?: string
  acceptWeakLogin?: true
}

type AddsBoxes = Pick<Workspace, 'by' | 'storage' | 'clock' | 'ids' | 'config' | 'folder'>

/**
 * Adds a speaker of another maker. The hub keeps the SHA-256 of its password and a keyed hash of its label: both are
 * shown only once, and a maker's secret is not kept at all.
 */
export async function boxAdd(
  workspace: AddsBoxes,
  options: BoxAddOptions,
  readPassword: () => Promise<string> = () => passwordFromInput('The password of the box: '),
): Promise<Outcome> {
  const { by, storage, clock, ids } = workspace
  const { serial } = options
  const failed = (...why: string[]) => refused({ serial, added: false }, ...why)
  const chosen = await chooseProfile(storage.profiles, options)
  if ('problems' in chosen) return failed(...chosen.problems)
  const { profile, document } = chosen
  const trouble = optionTrouble(profile, options)
  if (trouble !== undefined) return failed(trouble)

  const minted = mintedFor(profile, options)
  const given = options.passwordStdin ? await readPassword() : undefined
  const secret = options.secretFile === undefined ? undefined : secretInFile(options.secretFile)
  const made = minted === undefined ? undefined : ids.boxPassword()
  const login = expectedPassword(profile, {
    serial,
    given: minted === 'password' ? made : given,
    secret: minted === 'secret' ? made : secret,
  })
  if ('refused' in login) return failed(login.refused)
  const { password } = login
  if (password === serial && profile.login.password !== 'serial') return failed(PASSWORD_IS_SERIAL)

  const shown = {
    ...(minted && { password }),
    ...(minted === 'secret' && made !== undefined && { secret: made }),
  }
  const [key, label, wireId] = [ids.deviceKey(), ids.label(), wireIdOf(profile, serial)]
  const { dialect, name } = profile
  const box: MintedBox = {
    ...{ id: ids.uuid(), serial, key, loginHash: boxLoginHash(password), at: clock.now() },
    ...{ dialect, profile: name, document, wireId, labelHash: labelHash(key, serial, label) },
  }
  const result = await storage.devices.mintBox(by, box)
  if (result !== 'added') return failed(await sentenceOf(result, box, storage))
  return done(
    { serial, wireId, ...shown, label },
    `Box ${serial} is created: profile ${name}, dialect ${dialect}.`,
    `${minted === undefined ? 'The label is' : `The ${minted} and the label are`} shown only now.`,
    fields({ serial, 'wire id': wireId, ...shown, label }),
    'The wire id is the client id or the username of the box. Print the label on the box.',
    ...listenerTrouble(workspace),
  )
}

const PASSWORD_IS_SERIAL =
  'The password is the serial, which everybody reads on the box: set another one in the box. Where it can have no other, use a profile with "password": "serial" and --accept-weak-login.'

/**
 * What the hub makes for a box when the operator gives nothing: its password, or the secret of the device from which the
 * box computes it. The secret of a product is in all its boxes, so the hub makes none.
 */
function mintedFor(
  { login: { password } }: Profile,
  { passwordStdin, secretFile }: BoxAddOptions,
): 'password' | 'secret' | undefined {
  if (passwordStdin || secretFile !== undefined) return undefined
  if (typeof password === 'object') return password.hmac === 'alink' ? 'secret' : undefined
  return password === 'serial' ? undefined : 'password'
}

/** Options that do not fit how a box of the profile logs in. */
function optionTrouble(
  profile: Profile,
  { passwordStdin, secretFile, acceptWeakLogin }: BoxAddOptions,
): string | undefined {
  const { name, login } = profile
  const { password } = login
  if (passwordStdin && secretFile !== undefined)
    return 'Give the password by --password-stdin, or the secret by --secret-file, not both.'
  if (typeof password !== 'object' && secretFile !== undefined)
    return `Profile ${name} computes no password from a secret: leave --secret-file out.`
  if (
    typeof password === 'object' &&
    password.hmac === 'morefun' &&
    !passwordStdin &&
    secretFile === undefined
  )
    return `Profile ${name} computes the password from the secret of the product: give its file by --secret-file.`
  if (password === 'serial' && passwordStdin)
    return `The password of profile ${name} is the serial: leave --password-stdin out.`
  if (identityOf(profile) === 'weak' && !acceptWeakLogin)
    return `The login of profile ${name} is weak: ${password === 'serial' ? 'its password is the serial' : 'all boxes of the product share its secret'}, so that one box can be any other. Add --accept-weak-login where only your boxes reach the port.`
  return undefined
}

async function sentenceOf(
  result: Exclude<BoxMinting, 'added'>,
  { serial, wireId, profile }: MintedBox,
  { devices }: Pick<Workspace['storage'], 'devices'>,
): Promise<string> {
  switch (result) {
    case 'serial_taken':
      return `The serial ${serial} is taken: see hub device show ${serial}.`
    case 'wire_id_taken': {
      const other = await devices.boxLogin([wireId])
      return `The wire id ${wireId} is taken by device ${other?.serial ?? ''}: two boxes can't log in by one name. Choose another serial.`
    }
    case 'profile_differs':
      return otherIsStored(profile)
  }
}

/** A port that is not there is a likely mistake: by default there is none. */
function listenerTrouble({ config: { boxes }, folder }: Pick<Workspace, 'config' | 'folder'>): string[] {
  const running = folder.readAddresses()
  const ports = running ? [running.box, running.boxTls] : [boxes.port, boxes.tlsPort]
  if (ports.some((port) => port !== undefined)) return []
  return [
    running
      ? 'The hub that runs has no port for boxes: set HUB_BOX_PORT, and start it again.'
      : 'HUB_BOX_PORT is not set here: a hub without it has no port for boxes.',
  ]
}
