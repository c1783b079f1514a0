import { isUsageError } from '@ipfsz/utils/usage-errors'
import { nearWords } from '@ipfsz/utils/near-words'
import { Command } from 'commander'
import { UsageError } from '../errors.ts'
import { defineAddCommand } from './program-add.ts'
import { defineGatewayCommand } from './program-gateway.ts'
import { defineNetworkCommands } from './program-network.ts'
import type { ConfigValue } from '@ipfsz/node/config'
import type { Option } from 'commander'

/** A setting that is the default of an option, which is not passed. */
interface OptionKey {
  /** Set to several values, as the option is repeated. */
  isList?: true
  /** Not used beside this option, by its attribute: the level of one codec is not that of another. */
  unless?: string
  /** Only used beside this option, which may be a setting too. */
  needs?: string
}

/** Settings of options, by `COMMAND.OPTION`. */
const OPTION_KEYS: Readonly<Record<string, OptionKey>> = {
  'add.codec': {},
  'add.level': { unless: 'codec' },
  'add.hidden': {},
  'add.gitignore': {},
  'add.ignore': { isList: true },
  'add.preserve-mode': {},
  'add.preserve-mtime': {},
  'daemon.listen': { isList: true },
  'daemon.announce': { isList: true },
  'daemon.provide': {},
  'daemon.serve-originals': {},
  'daemon.gateway': {},
  'daemon.gateway-fetch': { needs: 'gateway' },
  'daemon.gateway-cache': { needs: 'gatewayFetch' },
  'gateway.listen': {},
  'gateway.fetch': {},
  'gateway.cache': { needs: 'fetch' },
  'gateway.host': { isList: true },
  'gateway.trust-proxy': { isList: true },
  'gateway.log': {}
}

interface VariableKey {
  variable: string
  description: string
  /** What a value looks like. */
  form: RegExp
}

const URL_FORM = /^https?:\/\/[^\s,]+$/

/** Settings that several commands take from the environment. */
export const VARIABLE_KEYS: Readonly<Record<string, VariableKey>> = {
  bootstrap: {
    variable: 'IPFSZ_BOOTSTRAP',
    description: 'bootstrap peers, or none, as $IPFSZ_BOOTSTRAP and --bootstrap',
    form: /^(?:none|\/[^\s,]+)$/
  },
  gateways: {
    variable: 'IPFSZ_GATEWAYS',
    description: 'HTTP gateways to fetch from, as $IPFSZ_GATEWAYS and --gateway',
    form: URL_FORM
  },
  routers: {
    variable: 'IPFSZ_ROUTERS',
    description: 'delegated routers to ask, as $IPFSZ_ROUTERS and --router',
    form: URL_FORM
  }
}

export const CONFIG_KEYS: readonly string[] = [...Object.keys(OPTION_KEYS), ...Object.keys(VARIABLE_KEYS)]

/** The settings that have a command's options as their keys, with these options. */
export function optionKeysOf (command: Command): Array<OptionKey & { key: string, option: Option }> {
  return Object.entries(OPTION_KEYS).flatMap(([key, init]) => {
    const [name, flag] = key.split('.')
    const option = command.options.find(({ long }) => long === `--${flag}`)

    return command.name() !== name || option == null ? [] : [{ key, option, ...init }]
  })
}

/** What each setting does, for help. */
export function describeKeys (): Array<{ term: string, description: string }> {
  const scratch = new Command()
  const options = optionCommands(scratch).flatMap(optionKeysOf)

  return [
    ...options.map(({ key, option }) => ({ term: key, description: option.description })),
    ...Object.entries(VARIABLE_KEYS).map(([key, { description }]) => ({ term: key, description }))
  ]
}

/** What an option gets from the values of its setting, parsed as on the command line. */
export function parseSetting (option: Option, key: string, values: readonly string[]): unknown {
  if (option.isBoolean()) {
    if (values.length !== 1 || !['true', 'false'].includes(values[0])) {
      throw new UsageError(`${key} is true or false, not "${values.join(' ')}"`)
    }

    return values[0] === 'true'
  }

  try {
    const parse = option.parseArg as ((text: string, before: unknown) => unknown) | undefined

    return values.reduce((before: unknown, text) => parse == null ? text : parse(text, before), undefined)
  } catch (err) {
    const text = err instanceof Error && (isUsageError(err) || 'code' in err) ? err.message : String(err)
    throw new UsageError(`${key}: ${text}`, { cause: err })
  }
}

/** The setting that is to be written. */
export function toSetting (key: string, values: readonly string[]): ConfigValue {
  checkKey(key)
  const variable = VARIABLE_KEYS[key]

  if (variable != null) {
    const wrong = values.find(value => !variable.form.test(value))

    if (wrong != null || (values.length > 1 && values.includes('none'))) {
      throw new UsageError(`${key} cannot be "${wrong ?? values.join(' ')}": ${variable.description}`)
    }

    return [...values]
  }

  const found = optionCommands(new Command()).flatMap(optionKeysOf).find(option => option.key === key)

  if (found == null) {
    throw new Error(`No option for ${key}`)
  }

  if (found.isList !== true && values.length > 1) {
    throw new UsageError(`${key} takes one value, not ${values.length}`)
  }

  const parsed = parseSetting(found.option, key, values)

  return found.isList === true ? [...values] : typeof parsed === 'boolean' ? parsed : values[0]
}

export function checkKey (key: string): void {
  if (!CONFIG_KEYS.includes(key)) {
    const near = nearWords(key, CONFIG_KEYS)
    const hint = near.length === 0 ? 'see ipfsz config --help' : `did you mean ${near.join(' or ')}?`
    throw new UsageError(`there is no setting "${key}" (${hint})`)
  }
}

/** The commands whose options are settings. */
function optionCommands (program: Command): Command[] {
  for (const define of [defineAddCommand, defineNetworkCommands, defineGatewayCommand]) {
    define(program, notRun)
  }

  return [...program.commands]
}

function notRun (): never {
  throw new Error('Only options are read')
}
