import type { Login } from './firmware.ts'
import type { BoxConfig } from './state.ts'

/** A login by the serial, with a password if one is set. */
export function plainLogin({ serial, password = '' }: BoxConfig, keepaliveS: number): Login {
  return { clientId: serial, username: serial, password, clean: true, keepaliveS }
}
