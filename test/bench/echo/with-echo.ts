import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Runs `act` while an echo server runs in another process. */
export async function withEcho<T>(act: (url: string, pid: number | undefined) => Promise<T>): Promise<T> {
  const file = fileURLToPath(new URL('./echo.ts', import.meta.url))
  const echo = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(echo.stdout, 'data')
    return await act(`${String(line).trim()}/callback`, echo.pid)
  } finally {
    echo.kill('SIGTERM')
  }
}
