/** What is said about new versions of the app. */
export const update = {
  ready: 'A new version of Holdfast is ready.',
  button: 'Load the new version',
  later: 'Later',
  here: {
    'unsaved-form': 'It waits until the open form is saved or closed.',
    sending: 'It waits until nothing is being sent.',
    offline: 'It waits until Holdfast can be reached.',
  },
  elsewhere: {
    'unsaved-form': 'Another tab has an unfinished form. Save or close it there first.',
    sending: 'Another tab is sending right now.',
    offline: 'Another tab cannot reach Holdfast right now.',
  },
  asking: 'Asking the other open tabs…',
  starting: 'The new version starts in every open tab.',
  leftBehind:
    'Other tabs run a new version of Holdfast. This one keeps the previous version, so that nothing in it is lost.',
};
