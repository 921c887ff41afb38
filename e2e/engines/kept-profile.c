/*
 * Under automation WebKit's MiniBrowser asks for a data manager that forgets everything at its end. Loaded before the
 * library, this gives it one that keeps what pages store in a folder, so that a killed browser can be started again.
 */
#include <stdlib.h>

void *webkit_website_data_manager_new(const char *first_option, ...);

void *webkit_website_data_manager_new_ephemeral(void)
{
    const char *folder = getenv("KEPT_PROFILE");
    return webkit_website_data_manager_new("base-data-directory", folder, "base-cache-directory", folder, (void *)0);
}
