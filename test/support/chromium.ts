import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { unpackedChromium } from './packed-chromium.ts'

/** The names that Chromium goes by, the preferred one first. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** Chromium by itself looks for updates and the like: the tests let it talk to loopback only. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-quic',
  '--disable-sync',
  '--metrics-recording-only',
  // names lead nowhere, and what has no name is on loopback
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]',
  '--no-proxy-server'
]

/**
 * The Chromium to run: $CHROMIUM, then the first on the PATH, then the one that `npm ci`
 * installs on Linux, which takes some seconds to unpack the first time. Undefined if there is
 * none: Playwright then uses its own.
 */
export function findChromium (): string | undefined {
  const { CHROMIUM, PATH = '' } = process.env
  const paths = NAMES.flatMap(name => PATH.split(delimiter).filter(Boolean).map(directory => join(directory, name)))

  return CHROMIUM ?? paths.find(isExecutable) ?? unpackedChromium()
}

/** Whether there is a program at a path. */
export function isExecutable (path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
