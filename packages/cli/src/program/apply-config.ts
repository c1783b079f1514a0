import { ConfigError } from '../errors.ts'
import { checkKey, optionKeysOf, parseSetting, VARIABLE_KEYS } from './config-keys.ts'
import type { Config } from '@ipfsz/node/config'
import type { Io } from '../io.ts'
import type { Command } from 'commander'

/** What takes the place of the process once the settings of the repo are known. */
export interface ConfigInit {
  /** The file that the settings are from. */
  file: string
  io: Io
}

/**
 * Use settings as defaults: an option that was passed and a variable of the environment come before them.
 *
 * @returns what the command uses of its process
 * @throws {ConfigError} a setting is unknown, or its value is none of the option's
 */
export function applyConfig (command: Command, config: Config, { file, io }: ConfigInit): Io {
  const texts = new Map(Object.entries(config).map(([key, value]) => [key, [value].flat().map(String)]))

  for (const key of texts.keys()) {
    checked(file, key, () => { checkKey(key) })
  }

  for (const { key, option, unless, needs } of optionKeysOf(command)) {
    const values = texts.get(key)
    const isGiven = (attribute: string): boolean =>
      !['default', 'config', undefined].includes(command.getOptionValueSource(attribute))
    const isLeftOut = (unless != null && isGiven(unless)) ||
      (needs != null && command.getOptionValue(needs) == null)

    if (values != null && !isGiven(option.attributeName()) && !isLeftOut) {
      const value = checked(file, key, () => parseSetting(option, key, values))
      command.setOptionValueWithSource(option.attributeName(), value === false ? undefined : value, 'config')
    }
  }

  const env = { ...io.env }

  for (const [key, { variable }] of Object.entries(VARIABLE_KEYS)) {
    env[variable] ??= texts.get(key)?.join(',')
  }

  // not a copy: to read stdin opens it
  return Object.create(io, { env: { value: env } }) as Io
}

function checked<T> (file: string, key: string, parse: () => T): T {
  try {
    return parse()
  } catch (err) {
    throw new ConfigError(file, key, err instanceof Error ? err.message : String(err), { cause: err })
  }
}
