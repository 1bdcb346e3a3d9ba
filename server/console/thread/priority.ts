import { execFile } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from '../../platform/log.ts'

/**
 * Payments come before pages: this thread runs only while no other thread wants its processor (SCHED_IDLE of sched(7), which
 * needs no privilege). A higher nice value is not enough: a thread that runs keeps the processor until the end of its slice,
 * up to 4 ms, and a payment waits. Linux only. Node has no function for it, so chrt(1) does it; without chrt the thread
 * keeps the priority of the others.
 */
export async function yieldToPayments(log: Logger): Promise<void> {
  if (process.platform !== 'linux') return
  try {
    // Synchronous: a thread pool would read the id of one of its own threads.
    const threadId = basename(readlinkSync('/proc/thread-self'))
    await promisify(execFile)('chrt', ['-i', '-p', '0', threadId])
  } catch (error) {
    log.warn({ err: error }, "the thread of the console's pages could not lower its priority")
  }
}
