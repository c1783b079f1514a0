import { raceSignal } from 'race-signal'

/** Wait for a time in milliseconds. */
export async function delay (time: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined

  try {
    await raceSignal(new Promise<void>(resolve => { timer = setTimeout(resolve, time) }), signal)
  } finally {
    clearTimeout(timer)
  }
}
