import type { DeviceState } from './state/state.ts'

/** Enough for a welcome and a short announcement, too little for a QR: what the hub must refuse shows itself. */
const SMALL_BUFFER_BYTES = 256

/** Bytes of the largest PUBLISH that it can take in. */
export function receiveBufferOf({ config, faults }: DeviceState): number {
  return faults.includes('small-buffer') ? Math.min(config.rxBytes, SMALL_BUFFER_BYTES) : config.rxBytes
}
