import { readFileSync } from 'node:fs'

const LOOK_EVERY_MS = 100

/** Resident memory of a process in bytes. NaN if there is no /proc. */
export function residentBytes(pid: number): number {
  try {
    const kB = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kB) * 1024
  } catch {
    return Number.NaN
  }
}

/** Watches the resident memory. Returns a function that ends this, and returns the peak. */
export function watchResident(pid: number): () => number {
  let peak = residentBytes(pid)
  const look = () => {
    peak = Math.max(peak, residentBytes(pid))
  }
  const looking = setInterval(look, LOOK_EVERY_MS)
  return () => {
    clearInterval(looking)
    look()
    return peak
  }
}
