/**
 * Whether what a workflow gets is encrypted: then so are the texts of its errors.
 * Invariant: changes no command, only the form of an error's text, which no replay compares.
 */
let sealed = false;

export const noteSealed = (): void => {
  sealed = true;
};

export const isSealed = (): boolean => sealed;
