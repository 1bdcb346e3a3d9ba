# Gets an access token: one hour long it goes with every other request, then it is refreshed.
from hub import post

post("/auth/token", {"clientId": "{{CLIENT_ID}}", "clientSecret": "{{CLIENT_SECRET}}"})
