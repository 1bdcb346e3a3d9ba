import { statfs } from 'node:fs/promises'

/**
 * With less free space than this, the hub may soon be unable to store a payment. A payment with its announcement takes
 * about 1.5 kB in the database and up to twice that in the write-ahead log. 500 MiB therefore hold some 100,000
 * payments: the operator has a day or more to free space.
 */
export const LOW_DISK_BYTES = 500 * 1024 * 1024

/** Free bytes for this user on the disk that holds the folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
