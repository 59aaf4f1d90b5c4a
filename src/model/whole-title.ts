/** The whole title of an idea: workflows keep its beginning only, so that events have a cut one. Pure. */

/** `told`: the title of an event. One that somebody has edited is no beginning of the known one. */
export const wholeTitle = (known: string, told: string): string =>
  told.endsWith('…') && known.startsWith(told.slice(0, -1)) ? known : told;
