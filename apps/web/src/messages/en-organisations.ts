/** For a person who belongs to several organisations: which one this is for, and what waits for another. */
export const organisations = {
  heading: 'Organisation',
  switching: (name: string) => `Switching to ${name}…`,
  switched: (name: string) => `You now work for ${name}.`,
  unreachable: 'Holdfast could not be reached, so nothing was switched. Switching needs a connection.',
  refused: 'You do not belong to that organisation any more. Nothing was switched.',
  belongs: (count: number, name: string) =>
    count === 1
      ? `One item on this device belongs to ${name}. It is sent once you switch to it.`
      : `${count} items on this device belong to ${name}. They are sent once you switch to it.`,
  unknown: 'an organisation that you no longer belong to',
  belongsNowhere: (count: number) =>
    count === 1
      ? 'One item on this device belongs to an organisation that you are not in any more. It stays here and is not sent.'
      : `${count} items on this device belong to an organisation that you are not in any more. They stay here and are not sent.`,
  goThere: (name: string) => `Switch to ${name}`,
};
