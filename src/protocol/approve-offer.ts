/** The sentence of a question that names the command which lands its work. Only an open run takes that command. */
const OFFER = 'To land it as it is: ralphctl approve';

/** With the space after it. */
export const approveOffer = (idea: string): string => `${OFFER} ${idea}. `;

export const withoutApproveOffer = (question: string): string =>
  question.replace(new RegExp(` ?${OFFER} [^\\s.]+(?:\\.[^\\s.]+)*\\.`), '');
