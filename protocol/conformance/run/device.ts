import type { Birth } from '../../messages/birth.ts'
import { readBirth } from '../hub/session.ts'
import type { StandIn } from '../hub/stand-in.ts'
import type { DeviceInfo } from '../report/report.ts'
import type { TranscriptEntry } from '../wire/transcript.ts'

/** The device's first birth: a later session may end before its own. */
export function firstBirth({ transcript }: StandIn): Birth | undefined {
  const said = transcript.all.find(({ kind }) => kind === 'birth')?.says
  return said && readBirth(said)
}

/** A CONNECT, or a connection that will never have one: the device speaks another protocol. */
export function isContact({ kind, hints }: TranscriptEntry): boolean {
  return kind === 'connect' || (kind === 'malformed' && hints.parsed !== undefined)
}

/** Reads the device's properties from its first birth. */
export function deviceInfo({ identity, transcript }: StandIn): DeviceInfo | undefined {
  const said = transcript.all.find(({ kind }) => kind === 'birth')?.says
  if (!said) return undefined
  const words = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])
  const word = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    ...{ serial: identity.serial, fw: word(said.fw), model: word(said.model) },
    ...{ caps: words(said.caps), lang: words(said.lang), rx: typeof said.rx === 'number' ? said.rx : 512 },
  }
}
