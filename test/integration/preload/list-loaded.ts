import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Writes which modules of Node and which files the process has loaded, a line each, to the file `$LOADED_FILE`. */
const { moduleLoadList } = process as typeof process & { moduleLoadList: string[] }
const { cache } = createRequire(import.meta.url)

process.once('exit', () => {
  writeFileSync(String(process.env.LOADED_FILE), [...moduleLoadList, ...Object.keys(cache)].join('\n'))
})
