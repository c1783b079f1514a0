import calls from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { FileHandle } from 'node:fs/promises'

/** A disk that is full after $WRITES_LEFT writes. */
let left = Number(process.env.WRITES_LEFT)

const { open, writeFile } = fs
const { write } = calls

fs.writeFile = async (file, data, options) => {
  const path = String(file)

  if (left-- <= 0) {
    // as on a full disk, the file exists but is cut short
    await writeFile(file, '')
    throw full(path)
  }

  await writeFile(file, data, options)
}

fs.open = async (path, flags, mode) => {
  const handle = await open(path, flags, mode)

  return new Proxy(handle, {
    get (target, property) {
      if ((property === 'writeFile' || property === 'write') && left-- <= 0) {
        return async () => { throw full(String(path)) }
      }

      const value: unknown = Reflect.get(target, property)

      return typeof value === 'function' ? value.bind(target) as FileHandle['close'] : value
    }
  })
}

calls.write = ((...args: Parameters<typeof write>) => {
  if (left-- <= 0) {
    (args.at(-1) as unknown as (err: Error) => void)(full())
  } else {
    write(...args)
  }
}) as typeof write

syncBuiltinESMExports()

function full (path?: string): Error {
  const of = path == null ? '' : ` '${path}'`

  return Object.assign(
    new Error(`ENOSPC: no space left on device, write${of}`),
    { code: 'ENOSPC', errno: -28, syscall: 'write' }
  )
}
