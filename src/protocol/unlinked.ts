/** Text that forges show without effects. Pure. Must not import anything. */

/**
 * The text without references to issues, merge requests and epics, their addresses and mentions of people: a commit with
 * it links nothing.
 */
export const unlinked = (text: string): string =>
  text
    // Markdown shows these as the sign itself, or a digit after it.
    .replace(/&(?=#x?[0-9a-f]|(?:num|commat|sol|colon|excl|amp|lbrack|lsqb);)/gi, '& ')
    .replace(/(\w?)#(?=\d)/g, (_, before: string) => (before === '' ? 'no. ' : `${before} no. `))
    // Merge requests and epics of GitLab.
    .replace(/[!&](?=\d)/g, (mark) => `${mark} `)
    .replace(/\[(?=(?:[\w./-]+:)?(?:issue|work_item|epic|merge_request):[^\]\s]*\d)/gi, '[ ')
    .replace(/\bG[HL]-(?=\d)/gi, (mark) => `${mark.slice(0, 2)} `)
    .replace(/\bhttps?:\/\/(?=\S*\/(?:issues|pull|merge_requests|work_items)\/\d)/gi, '')
    .replace(/(?<![\w.])@(?=[A-Za-z0-9])/g, '');
