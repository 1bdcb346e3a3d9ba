import type { CallOptions } from '../calls/options.ts'
import { rowsOf } from './lists.ts'
import { type Body, type Query, type Rows, Sender } from './sender.ts'

/** Speakers: registered, looked at, set and tested. */
export class DeviceOperations extends Sender {
  /** Shows a code on the speaker's screen, for `registerDevice`. */
  sendVerificationCode(body: Body<'sendVerificationCode'>, options?: CallOptions) {
    return this.send('sendVerificationCode', { body }, options)
  }

  /** Registers a speaker and its store, with the code on its screen. */
  registerDevice(body: Body<'registerDevice'>, options?: CallOptions) {
    return this.send('registerDevice', { body }, options)
  }

  /** Releases a speaker: it is linked to no store. */
  unregisterDevice(body: Body<'unregisterDevice'>, options?: CallOptions) {
    return this.send('unregisterDevice', { body }, options)
  }

  /** Locks or unlocks speakers, each separately: look at `failedDevices` of the answer. */
  updateDevicesStatus(body: Body<'updateDevicesStatus'>, options?: CallOptions) {
    return this.send('updateDevicesStatus', { body }, options)
  }

  /** A page of speakers. `devices` goes through all. */
  listDevices(query?: Query<'listDevices'>, options?: CallOptions) {
    return this.send('listDevices', { query }, options)
  }

  /** All speakers, newest first. */
  devices(query: Query<'listDevices'> = {}, options?: CallOptions): Rows<'listDevices'> {
    return rowsOf(query, (page) => this.listDevices(page, options))
  }

  getDevice(serial: string, options?: CallOptions) {
    return this.send('getDevice', { path: { serial } }, options)
  }

  /** Has a speaker beep. It is not sent again when it may have beeped. */
  testDevice(serial: string, options?: CallOptions) {
    return this.send('testDevice', { path: { serial } }, options)
  }

  getDeviceSettings(serial: string, options?: CallOptions) {
    return this.send('getDeviceSettings', { path: { serial } }, options)
  }

  updateDeviceSettings(serial: string, body: Body<'updateDeviceSettings'>, options?: CallOptions) {
    return this.send('updateDeviceSettings', { path: { serial }, body }, options)
  }
}
