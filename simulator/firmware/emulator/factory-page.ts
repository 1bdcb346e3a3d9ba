import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { ANCHOR_AT, anchorBytes } from './anchor.ts'

/** What the factory writes into a device. */
export interface Factory {
  serial: string
  /** The device's secret K. */
  key: Uint8Array
  /** The hub's name or address, at most 127 characters. */
  host: string
  port: number
  tls: keyof typeof TLS
  /** For the TLS of the firmware: the authority that signs the hub's certificate, in PEM. */
  authority?: string
}

/** Who does TLS. */
const TLS = { nobody: 0, module: 1, firmware: 2 }

/** The layout of protocol/examples/c/mcu/factory.h. */
const BYTES = 208
const VERSION = 1
const PLACES = { version: 4, tls: 5, port: 6, key: 8, serial: 40, host: 76, crc: 204 }

/** The bytes at the start of the first page of flash. */
export function factoryPage({ serial, key, host, port, tls }: Factory): Uint8Array {
  const page = Buffer.alloc(BYTES)
  page.write('SB1F')
  page.writeUInt8(VERSION, PLACES.version)
  page.writeUInt8(TLS[tls], PLACES.tls)
  page.writeUInt16LE(port, PLACES.port)
  page.set(key, PLACES.key)
  page.write(serial, PLACES.serial)
  page.write(host, PLACES.host)
  page.writeUInt32LE(crc32(page.subarray(0, PLACES.crc)), PLACES.crc)
  return page
}

/** Writes the factory area into a file of flash, and leaves the rest as it is. A new file is a blank flash. */
export function provision(path: string, factory: Factory): void {
  const { authority } = factory
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    writeSync(file, factoryPage(factory), 0, BYTES, 0)
    if (authority === undefined) return
    const anchor = anchorBytes(authority)
    writeSync(file, anchor, 0, anchor.length, ANCHOR_AT)
  } finally {
    closeSync(file)
  }
}
