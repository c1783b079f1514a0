import { platform } from 'node:process'

/** What Windows takes for a device, whatever its extension, and characters that it reads as something else. */
const DEVICE = /^(?:con|prn|aux|nul|com[\d\u00b9\u00b2\u00b3]|lpt[\d\u00b9\u00b2\u00b3]|conin\$|conout\$)(?:$|[. :])/i
// eslint-disable-next-line no-control-regex
const NOT_ON_WINDOWS = /[<>:"/\\|?*\0-\x1f]|[. ]$/

/**
 * Whether a name of a stranger's directory names an entry of a directory on this system, and nothing else. Windows
 * takes `a\b` and `C:a` for paths, `a:b` for a stream of `a`, `a.` for `a`, and `nul` for a device.
 */
export function isEntryName (name: string, system: string = platform): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name) &&
    (system !== 'win32' || !(NOT_ON_WINDOWS.test(name) || DEVICE.test(name)))
}
