/** Whether a path of the repository is a place, or lies in it where that is a folder. Imports nothing. */
export const isWithin = (path: string, place: string | undefined): boolean =>
  place !== undefined && (path === place || path.startsWith(`${place}/`));
