import { statfs } from 'node:fs/promises'

/**
 * Below this much free disk the hub may soon be unable to store a payment. A payment with its announcement takes
 * about 1.5 kB, the log twice that while it grows: this is some 100,000 payments, a day or more to make room in.
 */
export const LOW_DISK_BYTES = 500 * 1024 * 1024

/** Bytes that this user may still write to the disk that holds a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
