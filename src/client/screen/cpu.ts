/** Milliseconds of processor time that this process has used. */
export const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
