import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const MODULES = join(import.meta.dirname, '../../node_modules')
/** An npm package with Chromium. */
const PACKAGE = join(MODULES, '@sparticuz/chromium')
/** The systems that it is built for. */
const SYSTEMS = ['linux-x64', 'linux-arm64']
/** What it contains: the program, and a font and libraries for systems that lack them. */
const PARTS = ['chromium.br', 'swiftshader.tar.br', 'fonts.tar.br', 'al2023.tar.br']

/** Starts it. Its libraries are older than most systems', so it uses them only if some are missing. */
const SCRIPT = `#!/bin/sh
here=$(dirname "$0")
if ldd "$here/chromium" | grep -q 'not found'; then
  export LD_LIBRARY_PATH="$here/al2023/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
if [ ! -e /etc/fonts/fonts.conf ]; then
  export FONTCONFIG_FILE="$here/fonts.conf"
fi
exec "$here/chromium" "$@"
`

/** The path of the package's Chromium, unpacked if it was not. The next `npm ci` deletes it. */
export function unpackedChromium (): string | undefined {
  if (!SYSTEMS.includes(`${process.platform}-${process.arch}`) || !existsSync(PACKAGE)) {
    return undefined
  }

  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  const directory = join(MODULES, '.cache/ipfsz-chromium', version)

  if (!existsSync(directory)) {
    unpack(directory)
  }

  return join(directory, 'chromium.sh')
}

/** Unpack all or nothing: other processes may do the same, and the first that is done wins. */
function unpack (directory: string): void {
  mkdirSync(dirname(directory), { recursive: true })
  const unfinished = mkdtempSync(`${directory}-`)
  const script = `import { inflate } from '@sparticuz/chromium'
    await Promise.all(${JSON.stringify(PARTS)}.map(part => inflate(${JSON.stringify(join(PACKAGE, 'bin/'))} + part)))`

  try {
    // it unpacks into the system's temporary directory, which $TMPDIR names
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: unfinished }
    })
    writeFileSync(join(unfinished, 'chromium.sh'), SCRIPT, { mode: 0o755 })
    writeFileSync(
      join(unfinished, 'fonts.conf'),
      [
        '<?xml version="1.0"?>',
        `<fontconfig><dir>${join(directory, 'fonts')}</dir>`,
        `<cachedir>${join(directory, 'cache')}</cachedir></fontconfig>\n`
      ].join('')
    )
    renameSync(unfinished, directory)
  } catch (err) {
    rmSync(unfinished, { recursive: true, force: true })

    if (!existsSync(directory)) {
      throw new Error(
        'The Chromium of @sparticuz/chromium could not be unpacked: name another in $CHROMIUM',
        { cause: err }
      )
    }
  }
}
